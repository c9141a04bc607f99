internal import CitiesProtocol

extension CitySearch: PagedRequest {}
extension CitySearch.Reply: PagedReply { var available: UInt64 { total } }
extension BankList: PagedRequest {}
extension BankSearch: PagedRequest {}
extension BankPage: PagedReply { var available: UInt64 { total } }
extension ProductList: PagedRequest {}
extension ProductList.Reply: PagedReply { var available: UInt64 { total } }
extension ProductGet: PagedRequest {}
extension ProductGet.Reply: PagedReply { var available: UInt64 { count } }
